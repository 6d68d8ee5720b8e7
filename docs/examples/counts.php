<?php
// The people inside each store now, the events of a day, and the devices that have been silent for a day.
//   BASE=http://127.0.0.1:8080/public/Service.asmx COMPANY=Acme TOKEN=… KEY=… php counts.php 2026-11-20
declare(strict_types=1);

/** Calls an operation with a form and gives its records; ends with the code and detail of an error. */
function call(string $operation, array $fields, array $headers = []): array
{
    $form = http_build_query(['CompanyName' => getenv('COMPANY')] + $fields);
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => ['Content-Type: application/x-www-form-urlencoded', ...$headers],
        'content' => $form,
        'ignore_errors' => true,
    ]]);
    $answer = json_decode(file_get_contents(getenv('BASE') . "/$operation", false, $context), true);
    if (!isset($answer['code'])) {
        return $answer;
    }
    fwrite(STDERR, "{$answer['code']}: {$answer['detail']}\n");
    exit(1);
}

$token = getenv('TOKEN');
$day = $argv[1];

foreach (call('GetAllCountsByCompanyForTodayPublic', ['Token' => $token]) as $event) {
    echo "now: {$event['Amount']} in {$event['StoreName']}\n";
}

$range = ['Token' => $token, 'DateFrom' => $day, 'DateTo' => $day];
foreach (call('GetCountsByCompanyAndDatePublic', $range) as $event) {
    echo "{$event['DateTime']}: {$event['Amount']} in {$event['StoreName']}\n";
}

$key = getenv('KEY');
foreach (call('GetLifeSignalInactive', ['InactiveForHours' => 24], ["Authorization: $key"]) as $device) {
    echo "silent: {$device['SerialNumber']} in {$device['ShopName']} since {$device['LastActivity']}\n";
}
