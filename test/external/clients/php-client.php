<?php
// Calls operations through SoapClient. Standard input: the calls; standard output: what came of them; both JSON.

function outcome(SoapClient $client, array $call): array
{
    try {
        $answer = $client->{$call['operation']}($call['parameters']);
    } catch (SoapFault $fault) {
        $detail = json_encode($fault->detail ?? null);
        return ['fault' => ['code' => $fault->faultcode, 'message' => $fault->faultstring, 'detail' => $detail]];
    }
    $list = get_object_vars($answer->{$call['operation'] . 'Result'});
    return ['records' => array_values($list)[0] ?? []];
}

$order = json_decode(stream_get_contents(STDIN), true);
$client = new SoapClient($order['wsdl'], [
    'soap_version' => $order['binding'] === 'Soap12' ? SOAP_1_2 : SOAP_1_1,
    'cache_wsdl' => WSDL_CACHE_NONE,
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
    'stream_context' => stream_context_create(['http' => ['header' => 'Authorization: ' . $order['authorization']]]),
]);
echo json_encode(array_map(fn (array $call): array => outcome($client, $call), $order['calls']));
