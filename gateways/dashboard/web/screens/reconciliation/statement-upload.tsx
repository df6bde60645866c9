/** The upload of a statement: a file is chosen or dropped, its columns are named, and its first rows are shown as they
 *  will be read, before anything is sent.
 *  1. Sent again unchanged, it is one statement. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { statementBytesMax } from '../../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../../context.ts';
import {
  guessed,
  mappingOf,
  readStatementFile,
  sizeText,
  type Chosen,
  type StatementFile,
} from './statement-file.ts';
import type { Statement } from '../../wire/types.ts';
import { providerLabels } from '../../words/providers.ts';
import { DropArea } from '../../parts/drop-area.tsx';
import { Glyph, UserText } from '../../parts/marks.tsx';
import { FormFailure } from '../../parts/notices.tsx';
import { ColumnFields, StatementPreview } from './statement-columns.tsx';
import { useSubmit } from '../../parts/use-submit.ts';

export interface StatementUploadProps {
  readonly onDone: (statement: Statement) => void;
}

export function StatementUpload({ onDone }: StatementUploadProps) {
  const { announce } = useScreenContext();
  const [file, setFile] = useState<StatementFile | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const read = async (chosen: File): Promise<void> => {
    setProblem(null);
    setFile(null);
    const found = await readStatementFile(chosen);
    if (typeof found === 'string') return setProblem(found);
    setFile(found);
    announce(`${found.name} was read. Check its columns.`);
  };
  return (
    <section class="slip lone act" aria-labelledby="upload">
      <h2 id="upload" tabIndex={-1}>
        Upload a statement
      </h2>
      <FileField file={file} onFile={(chosen) => void read(chosen)} />
      {problem !== null && (
        <div class="notice bad" role="alert">
          <Glyph name="note" />
          <div>
            <strong>{problem}</strong>
          </div>
        </div>
      )}
      {file !== null && (
        <UploadForm
          // another file is another statement
          key={`${file.name} ${file.bytes}`}
          file={file}
          onDone={onDone}
          onBack={() => setFile(null)}
        />
      )}
    </section>
  );
}

interface FileFieldProps {
  readonly file: StatementFile | null;
  readonly onFile: (file: File) => void;
}

function FileField({ file, onFile }: FileFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const taken = (chosen: File | undefined): void => {
    if (chosen !== undefined) onFile(chosen);
  };
  return (
    <DropArea onFile={taken}>
      <p class={file === null ? 'soft' : undefined}>
        {file === null ? (
          `CSV with a header line, in UTF-8, at most ${sizeText(statementBytesMax)}. Choose a file, or drop it here.`
        ) : (
          <>
            <b>
              <UserText text={file.name} />
            </b>{' '}
            <span class="soft">{sizeText(file.bytes)}</span>
          </>
        )}
      </p>
      <input
        ref={input}
        hidden
        type="file"
        accept=".csv,text/csv,text/plain"
        aria-label="Statement file"
        onChange={({ currentTarget }) => {
          taken(currentTarget.files?.[0]);
          // the same file can be chosen again
          currentTarget.value = '';
        }}
      />
      <div class="buttons">
        <button
          type="button"
          class={file === null ? 'button fit' : 'button second fit'}
          onClick={() => input.current?.click()}
        >
          {file === null ? 'Choose a file' : 'Choose another file'}
        </button>
      </div>
    </DropArea>
  );
}

interface UploadFormProps extends StatementUploadProps {
  readonly file: StatementFile;
  readonly onBack: () => void;
}

/** Bytes. */
interface Sent {
  readonly sent: number;
  readonly of: number;
}

function UploadForm({ file, onDone, onBack }: UploadFormProps) {
  const { api, place } = useScreenContext();
  const [provider, setProvider] = useState('');
  const [chosen, setChosen] = useState<Chosen>(() => guessed(file.columns));
  const [progress, setProgress] = useState<Sent | null>(null);
  const { isBusy, failure, submit, show } = useSubmit();
  const key = useRef<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  // leaving the screen stops it
  useEffect(() => () => stop.current?.abort(), []);

  const changed = (): void => {
    key.current = null;
    show(null);
  };
  const send = (event: SubmitEvent): void => {
    key.current ??= crypto.randomUUID();
    const [sending, controller] = [key.current, new AbortController()];
    const request = { provider, fileName: file.name, csv: file.text, mapping: mappingOf(chosen) };
    const onSent = (sent: number, of: number): void => setProgress({ sent, of });
    submit(
      async () => {
        stop.current = controller;
        setProgress({ sent: 0, of: file.bytes });
        const result = await api.call('POST /v1/reconciliation/statements', place, {
          body: request,
          key: sending,
          upload: {
            onSent,
            signal: controller.signal,
          },
        });
        setProgress(null);
        return result;
      },
      onDone,
      event,
    );
  };
  const isReady = provider !== '' && chosen.reference !== '' && chosen.amount !== '';
  return (
    <form class="form bare" aria-label="Upload a statement" onSubmit={send}>
      <fieldset class="whole-form upload-fields" disabled={isBusy} onInput={changed}>
        <legend class="unseen">The statement</legend>
        <ProviderField provider={provider} onProvider={setProvider} />
        <ColumnFields file={file} chosen={chosen} onChosen={setChosen} />
      </fieldset>
      <StatementPreview file={file} chosen={chosen} />
      {progress !== null && <Progress {...progress} />}
      {failure !== null && stop.current?.signal.aborted !== true && (
        <FormFailure failure={failure} unclear="Press the button again: it is one statement." />
      )}
      <div class="buttons">
        <button class="button fit" type="submit" aria-busy={isBusy} disabled={!isReady}>
          {isBusy ? 'Uploading' : 'Upload and compare'}
        </button>
        <button
          class="button second fit"
          type="button"
          onClick={isBusy ? () => stop.current?.abort() : onBack}
        >
          {isBusy ? 'Stop' : 'Back'}
        </button>
      </div>
    </form>
  );
}

function Progress({ sent, of }: Sent) {
  const isSent = sent >= of;
  return (
    <div class="progress">
      <progress aria-label="Upload" max={of} value={sent} />
      <p>{isSent ? 'Sent; it is being stored' : `${sizeText(sent)} of ${sizeText(of)} sent`}</p>
    </div>
  );
}

interface ProviderFieldProps {
  readonly provider: string;
  readonly onProvider: (provider: string) => void;
}

const ProviderField = ({ provider, onProvider }: ProviderFieldProps) => (
  <label class="field">
    Provider
    <select required value={provider} onChange={({ currentTarget }) => onProvider(currentTarget.value)}>
      <option value="" disabled>
        Choose whose statement it is
      </option>
      {Object.entries(providerLabels).map(([id, label]) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </select>
  </label>
);
