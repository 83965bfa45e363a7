"""The event feed (D-67)."""

from copy import deepcopy
from uuid import uuid4

from .model import find
from .wire import bad_request, now, timestamp


class Events:
    def emit(self, client, kind, **data):
        """Writes an event with the resources as they are now."""
        event = {"id": str(uuid4()), "type": kind, "created_at": timestamp(now()), "data": deepcopy(data)}
        client.events.append(event)
        self.fan_out(client, event)

    def list_events(self, call):
        events = call.client.events
        start = self._position(call) if "after" in call.values else 0
        kind = call.values.get("type")
        found = [i for i in range(start, len(events)) if kind in (None, events[i]["type"])][: call.values["limit"]]
        end = found[-1] + 1 if found else start
        return {"items": [events[i] for i in found], "next_cursor": self._feed_cursor(call.client, end)}

    @staticmethod
    def _feed_cursor(client, position):
        """Names the event before a position, and the feed at its beginning."""
        return f"{position}-{client.events[position - 1]['id'] if position else client.feed_id}"

    def _position(self, call):
        after = call.values["after"]
        number = after.partition("-")[0]
        position = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0
        if position > len(call.client.events) or after != self._feed_cursor(call.client, position):
            raise bad_request(("query", "after", "must be the cursor of an earlier page"))
        return position

    def get_event(self, call):
        events = {event["id"]: event for event in call.client.events}
        return find(events, call.values["event_id"].lower(), "event")
