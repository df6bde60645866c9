/** wallet_z's own side of its wire, for the sandbox: text to neutral command, neutral state to text.
 *  Boundary: pure; imports nothing of the adapter's, so that a mistake is not made twice. */

export const simulatorCredentials = { token: 'simulated_wallet_z_token' } as const;

export interface SimulatedReply {
  readonly status: number;
  readonly body: string;
}

/** What a start call asks for; null for one that is refused. */
export function hearPay(
  authorization: string,
  text: string,
): { ref: string; amount: number; back: string } | null {
  if (authorization !== `Token ${simulatorCredentials.token}`) return null;
  const { ref, amount, back } = JSON.parse(text) as { ref: string; amount: number; back: string };
  return { ref, amount, back };
}

export const payReply = (id: string, page: string): SimulatedReply => ({
  status: 200,
  body: JSON.stringify({ id, url: `${page}/?id=${id}` }),
});

const words = { opened: 'OPEN', paid: 'PAID', declined: 'NO' } as const;

export const findReply = (id: string, amount: number, state: keyof typeof words): SimulatedReply => ({
  status: 200,
  body: JSON.stringify({ id, amount, state: words[state], receipt: state === 'paid' ? `Z-${id}` : null }),
});
