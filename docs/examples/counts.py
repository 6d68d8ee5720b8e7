"""The people inside each store now, the events of a day, and the devices that have been silent for a day.

BASE=http://127.0.0.1:8080/public/Service.asmx COMPANY=Acme TOKEN=… KEY=… python3 counts.py 2026-11-20
"""

import json
import os
import sys
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

base, company, token, key = (os.environ[name] for name in ("BASE", "COMPANY", "TOKEN", "KEY"))
day = sys.argv[1]


def call(operation, fields, headers={}):
    """Calls an operation with a form and gives its records; ends with the code and detail of an error."""
    form = urlencode({"CompanyName": company, **fields}).encode()
    try:
        with urlopen(Request(f"{base}/{operation}", data=form, headers=headers)) as answer:
            return json.load(answer)
    except HTTPError as error:
        problem = json.load(error)
        sys.exit(f"{problem['code']}: {problem['detail']}")


for event in call("GetAllCountsByCompanyForTodayPublic", {"Token": token}):
    print(f"now: {event['Amount']} in {event['StoreName']}")

for event in call("GetCountsByCompanyAndDatePublic", {"Token": token, "DateFrom": day, "DateTo": day}):
    print(f"{event['DateTime']}: {event['Amount']} in {event['StoreName']}")

for device in call("GetLifeSignalInactive", {"InactiveForHours": 24}, {"Authorization": key}):
    print(f"silent: {device['SerialNumber']} in {device['ShopName']} since {device['LastActivity']}")
