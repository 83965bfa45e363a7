"""Tiers, what a user may still send, and what a transaction above it waits for (D-17, D-66)."""

from decimal import Decimal

from .reference import TIERS
from .wire import now, refused


def current_tier(user):
    """The number of the highest tier whose tags are all VERIFIED, 0 for none."""
    reached = [
        i for i, tier in enumerate(TIERS, 1) if all(user.tags.get(tag) == "VERIFIED" for tag in tier.tags[user.is_business])
    ]
    return max(reached, default=0)


def remaining_limits(user, destination, tier, more=Decimal(0)):
    """What remains in a tier, after one more amount."""
    if not tier:
        return dict.fromkeys(TIERS[0].limits, Decimal(0))
    today = now()
    same = {
        "daily_limit": lambda t: t.date() == today.date(),
        "monthly_limit": lambda t: (t.year, t.month) == (today.year, today.month),
        "annual_limit": lambda t: t.year == today.year,
    }
    counted = [t for t in user.transactions if t.is_counted and t.destination == destination]
    return {
        name: max(Decimal(0), limit - more - sum(t.view["from_amount"] for t in counted if same[name](t.created)))
        for name, limit in TIERS[tier - 1].limits.items()
    }


def information_needed(user, destination, amount):
    """The tags that a transaction waits for, and those that become REQUESTED, both empty for what is within the user's tier.

    What is above the highest tier is refused.
    """

    def covers(tier):
        return amount <= min(remaining_limits(user, destination, tier).values())

    if not covers(len(TIERS)):
        reason = "must be within the remaining limit of the highest tier"
        raise refused("LIMIT_EXCEEDED", "/from_amount", reason)
    tier = current_tier(user)
    if covers(tier):
        return set(), set()
    lowest = next(i for i in range(1, len(TIERS) + 1) if covers(i))
    needed = {tag for tag in TIERS[lowest - 1].tags[user.is_business] if user.tags.get(tag) != "VERIFIED"}
    return needed, {tag for tag in TIERS[tier].tags[user.is_business] if user.tags.get(tag, "FAILED") == "FAILED"}
