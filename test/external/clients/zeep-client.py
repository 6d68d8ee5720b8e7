"""Calls operations through zeep. Standard input: the calls; standard output: what came of them; both JSON."""

import datetime
import json
import sys

import requests
import zeep
from lxml import etree
from zeep.helpers import serialize_object


def outcome(service, call, names):
    # Over HTTP POST zeep writes what is not given as the word None.
    given = {**dict.fromkeys(names, ""), **call["parameters"]}
    try:
        records = service[call["operation"]](**given)
    except zeep.exceptions.Fault as fault:
        if isinstance(fault.message, bytes):  # Over HTTP POST it gives the body of the answer as it is.
            return {"fault": {"code": "Fault", "message": "", "detail": fault.message.decode()}}
        detail = "" if fault.detail is None else etree.tostring(fault.detail, encoding="unicode")
        return {"fault": {"code": fault.code, "message": fault.message, "detail": detail}}
    found = serialize_object(records, dict) or []
    if isinstance(found, dict):  # Over HTTP POST it does not unwrap what has one element.
        (found,) = found.values()
    return {"records": found}


def names_of(client, binding, call):
    if binding != "HttpPost":
        return []
    (found,) = [each for name, each in client.wsdl.bindings.items() if name.endswith("}ServiceHttpPost")]
    return found.get(call["operation"]).input.abstract.parts.keys()


def main():
    order = json.load(sys.stdin)
    session = requests.Session()
    session.headers["Authorization"] = order["authorization"]
    session.headers["Accept"] = "text/xml"
    client = zeep.Client(order["wsdl"], transport=zeep.Transport(session=session))
    service = client.bind("Service", "Service" + order["binding"])
    outcomes = [outcome(service, call, names_of(client, order["binding"], call)) for call in order["calls"]]
    json.dump(outcomes, sys.stdout, default=datetime.datetime.isoformat)


main()
