"""Occupancy after every crossing, by other means than the product's code.

Reads one JSON document from standard input: {"timeZone", "crossings": [[epoch ms, 1 or -1], ...]}, the
crossings in order of time; prints the list of [local date-time with offset and milliseconds, occupancy].
"""

import json
import sys
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

document = json.load(sys.stdin)
zone = ZoneInfo(document["timeZone"])
day, inside, records = None, 0, []
for at, direction in document["crossings"]:
    utc = datetime.fromtimestamp(at // 1000, timezone.utc).replace(microsecond=at % 1000 * 1000)
    local = utc.astimezone(zone)
    if local.date() != day:
        day, inside = local.date(), 0
    inside = max(0, inside + direction)
    records.append([local.isoformat(timespec="milliseconds"), inside])
json.dump(records, sys.stdout)
