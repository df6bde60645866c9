/** Things to copy: an id with its button, a command, a piece of JSON. */
import { useEffect, useState } from 'preact/hooks';
import { usePageContext } from '../context.ts';
import { Glyph } from './marks.tsx';

const thanksMs = 2_000;

/** `what`: its name, for users who cannot see the text beside the button. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const { announce } = usePageContext();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = window.setTimeout(() => setDone(false), thanksMs);
    return () => window.clearTimeout(timer);
  }, [isDone]);
  // browsers offer no clipboard to pages loaded unencrypted over a network
  if (!('clipboard' in navigator)) return null;
  const copied = (): void => {
    setDone(true);
    announce(`${what} copied.`);
  };
  return (
    <button
      type="button"
      class={isDone ? 'copy done' : 'copy'}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(copied, () => announce('It could not be copied.'))
      }
    >
      <Glyph name={isDone ? 'check' : 'copy'} />
    </button>
  );
}

export const Id = ({ id, what }: { readonly id: string; readonly what: string }) => (
  <span class="id">
    <code>{id}</code>
    <CopyButton text={id} what={what} />
  </span>
);

/** Focusable by Tab, because it scrolls. */
export const Code = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <div class="code-block">
    <pre tabIndex={0} role="region" aria-label={what}>
      {text}
    </pre>
    <CopyButton text={text} what={what} />
  </div>
);
