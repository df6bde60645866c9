/** A large request whose progress is shown: `fetch` does not tell how much was sent. */
import type { SendUpload } from './asked.ts';

/** On a slow line 5 MiB take some minutes. */
const uploadMsMax = 600_000;

export const uploaded: SendUpload = (path, headers, body, { onSent, signal }) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const failed = (): void => reject(new Error('The upload has ended without an answer.'));
    request.open('POST', path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.timeout = uploadMsMax;
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(loaded, total));
    request.addEventListener('load', () => {
      const retryAfter = request.getResponseHeader('retry-after');
      const kept = retryAfter === null ? {} : { 'retry-after': retryAfter };
      resolve(new Response(request.responseText, { status: request.status, headers: kept }));
    });
    for (const end of ['error', 'timeout', 'abort']) request.addEventListener(end, failed);
    signal.addEventListener('abort', () => request.abort());
    request.send(body);
  });
