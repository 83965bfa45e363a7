"""Tiers and what a user may still send (D-17)."""

from decimal import Decimal

from .reference import TIERS
from .wire import now, refused


def current_tier(user):
    """The number of the highest tier whose tags are all VERIFIED, 0 for none."""
    reached = [
        i for i, tier in enumerate(TIERS, 1) if all(user.tags.get(tag) == "VERIFIED" for tag in tier.tags[user.is_business])
    ]
    return max(reached, default=0)


def remaining_limits(user, destination, tier):
    today = now()
    same = {
        "daily_limit": lambda t: t.date() == today.date(),
        "monthly_limit": lambda t: (t.year, t.month) == (today.year, today.month),
        "annual_limit": lambda t: t.year == today.year,
    }
    return {
        name: max(Decimal(0), limit - sum(amount for t, to, amount in user.used if to == destination and same[name](t)))
        for name, limit in tier.limits.items()
    }


def use_limits(user, destination, amount):
    """Refuses what is above the highest tier, and requests the tags of the next tier for what is above the user's own."""
    if amount > min(remaining_limits(user, destination, TIERS[-1]).values()):
        reason = "must be within the remaining limit of the highest tier"
        raise refused("LIMIT_EXCEEDED", "/from_amount", reason)
    tier = current_tier(user)
    if tier < len(TIERS) and (not tier or amount > min(remaining_limits(user, destination, TIERS[tier - 1]).values())):
        for tag in TIERS[tier].tags[user.is_business]:
            if user.tags.get(tag, "FAILED") == "FAILED":
                user.tags[tag] = "REQUESTED"
    user.used.append((now(), destination, amount))
