<?php
// A shop in PHP: a checkout, a verified webhook, a refund. docs/guides/express-and-php.md says how to run it.
require __DIR__ . '/verify-webhook.php';

/** Calls Galla. Without an answer, or with 503, nobody knows whether the call took effect: the same body with the same
 *  key asks again, and only one thing is made. */
function call(string $path, array $body, string $idempotencyKey): array
{
    $curl = curl_init(getenv('GALLA_URL') . $path);
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 35,
        CURLOPT_HTTPHEADER => [
            'Authorization: Bearer ' . getenv('GALLA_KEY'),
            'Content-Type: application/json',
            "Idempotency-Key: $idempotencyKey",
        ],
        CURLOPT_POSTFIELDS => json_encode($body, JSON_THROW_ON_ERROR),
    ]);
    for ($tries = 1; ; $tries++) {
        $answer = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($answer !== false && $status < 300) {
            return json_decode($answer, true, flags: JSON_THROW_ON_ERROR);
        }
        if ($tries === 5 || ($answer !== false && !in_array($status, [409, 429, 503], true))) {
            $error = json_decode((string) $answer, true)['error'] ?? curl_error($curl);
            http_response_code($answer === false ? 502 : $status);
            exit($error['message'] ?? $error);
        }
        sleep($tries);
    }
}

/** The shop's orders, in one file here; keep them in your database. What `$change` makes of them is stored. */
function orders(callable $change): array
{
    $file = fopen(getenv('SHOP_ORDERS') ?: __DIR__ . '/orders.json', 'c+');
    flock($file, LOCK_EX);
    $orders = $change(json_decode(stream_get_contents($file), true) ?? []);
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, json_encode($orders));
    fclose($file);
    return $orders;
}

/** The same event may come twice, and a later one first: what is not newer than the order's state is left out. */
function learn(array $event): void
{
    ['type' => $type, 'data' => $data] = $event;
    // payments and checkouts have your metadata, refunds have the paymentId
    $id = $data['metadata']['order_id'] ?? null;
    error_log($type . '  ' . ($id ?? $data['paymentId'] ?? ''));
    if (!in_array($type, ['payment.succeeded', 'payment.refunded'], true) || $data['duplicate']) {
        return;
    }
    orders(function (array $orders) use ($id, $data): array {
        if (isset($orders[$id]) && $data['sequence'] > $orders[$id]['sequence']) {
            $refunded = $data['refundedAmount'] > 0 ? ", refunded {$data['refundedAmount']} of {$data['amount']} paisa" : '';
            $orders[$id] = ['state' => "paid$refunded", 'paymentId' => $data['id'], 'sequence' => $data['sequence']];
        }
        return $orders;
    });
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$id = basename($_GET['order'] ?? '');
header('Content-Type: text/plain; charset=utf-8');

switch ($_SERVER['REQUEST_METHOD'] . ' ' . $path) {
    case 'GET /':
        header('Content-Type: text/html; charset=utf-8');
        echo '<form method="post" action="/buy"><button>Buy the book, NPR 1,250.50</button></form>';
        break;

    case 'POST /hooks':
        // the signature is of the bytes as they came: read them before anything parses them
        $body = file_get_contents('php://input');
        if (!is_signed($body, $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? '', getenv('GALLA_WEBHOOK_SECRET'))) {
            http_response_code(400);
            break;
        }
        $event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
        if (!($event['test'] ?? false)) {
            learn($event);
        }
        break;

    case 'POST /buy':
        $id = bin2hex(random_bytes(8));
        orders(fn(array $orders) => $orders + [$id => ['state' => 'waiting for the money', 'paymentId' => null, 'sequence' => 0]]);
        $session = call('/v1/checkout', [
            'amount' => (int) round(1250.50 * 100), // paisa, an integer: 1250.50 * 100 alone may be a fraction
            'description' => 'The Book',
            'returnUrl' => "http://{$_SERVER['HTTP_HOST']}/thanks?order=$id",
            'metadata' => ['order_id' => $id], // if empty: (object) [], as [] would be a list
        ], $id);
        header("Location: {$session['checkout_url']}", true, 303);
        break;

    case 'GET /thanks':
        // the way back proves nothing: show what the webhook has told
        echo orders(fn(array $orders) => $orders)[$id]['state'] ?? 'no such order';
        break;

    case 'POST /refund':
        // for the shop's own staff: let nobody else in. One key for one decision, so a second click is no second refund; the
        // page with the button makes a new `decision` for each refund
        $order = orders(fn(array $orders) => $orders)[$id] ?? null;
        if (!isset($order['paymentId'])) {
            http_response_code(409);
            exit('This order is not paid.');
        }
        if (($_POST['decision'] ?? '') === '') {
            http_response_code(400);
            exit('Send a decision: a text of your own for each refund.');
        }
        $body = ['paymentId' => $order['paymentId'], 'amount' => (int) ($_POST['amount'] ?? 0), 'reason' => 'customer_request'];
        $refund = call('/v1/refunds', $body, "refund-$id-{$_POST['decision']}");
        echo "{$refund['id']} {$refund['status']}";
        break;

    default:
        http_response_code(404);
}
