/** Where a file can be dropped. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export interface DropAreaProps {
  /** undefined: what was dropped is no file. */
  readonly onFile: (file: File | undefined) => void;
  readonly children: ComponentChildren;
}

export function DropArea({ onFile, children }: DropAreaProps) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFile(event.dataTransfer?.files[0]);
      }}
    >
      {children}
    </div>
  );
}
