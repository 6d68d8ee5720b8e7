"""Calls operations through zeep. Standard input: the calls; standard output: what came of them; both JSON."""

import datetime
import json
import sys

import requests
import zeep
from lxml import etree
from zeep.helpers import serialize_object


def outcome(service, call):
    try:
        records = service[call["operation"]](**call["parameters"])
    except zeep.exceptions.Fault as fault:
        detail = "" if fault.detail is None else etree.tostring(fault.detail, encoding="unicode")
        return {"fault": {"code": fault.code, "message": fault.message, "detail": detail}}
    return {"records": serialize_object(records, dict) or []}


def main():
    order = json.load(sys.stdin)
    session = requests.Session()
    session.headers["Authorization"] = order["authorization"]
    client = zeep.Client(order["wsdl"], transport=zeep.Transport(session=session))
    service = client.bind("Service", "Service" + order["binding"])
    outcomes = [outcome(service, call) for call in order["calls"]]
    json.dump(outcomes, sys.stdout, default=datetime.datetime.isoformat)


main()
