/** Idempotency keys of a form that is open: the same body has the same key, another one is another request. */
import { useState } from 'preact/hooks';

export function useKeys(): (body: object) => string {
  const [keys] = useState(() => new Map<string, string>());
  return (body) => {
    const text = JSON.stringify(body);
    const key = keys.get(text) ?? crypto.randomUUID();
    keys.set(text, key);
    return key;
  };
}
