/** Which column of a statement is which, and its first rows as they will be read. */
import {
  columnKinds,
  isTakenAnyway,
  previewOf,
  type Chosen,
  type ColumnKind,
  type StatementFile,
  type Unit,
} from './statement-file.ts';
import { signedText } from '../../words/statements.ts';
import { clockText, dayText } from '../../words/time.ts';
import { useScreenContext } from '../../context.ts';
import { UserText } from '../../parts/marks.tsx';

export interface ColumnFieldsProps {
  readonly file: StatementFile;
  readonly chosen: Chosen;
  readonly onChosen: (chosen: Chosen) => void;
}

const labels: Readonly<Record<ColumnKind, string>> = {
  reference: 'Reference',
  amount: 'Amount',
  date: 'Date',
  fee: 'Fee',
};
const isNeeded = (kind: ColumnKind): boolean => kind === 'reference' || kind === 'amount';

export const ColumnFields = ({ file, chosen, onChosen }: ColumnFieldsProps) => (
  <>
    <div class="column-fields">
      {columnKinds.map((kind) => (
        <label key={kind} class="field">
          {labels[kind]}
          <select
            required={isNeeded(kind)}
            value={chosen[kind]}
            onChange={({ currentTarget }) => onChosen({ ...chosen, [kind]: currentTarget.value })}
          >
            {(isNeeded(kind) || !isTakenAnyway(file.columns, kind)) && (
              <option value="" disabled={isNeeded(kind)}>
                {isNeeded(kind) ? 'Choose a column' : 'None'}
              </option>
            )}
            {file.columns.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      ))}
    </div>
    <fieldset class="units">
      <legend>The amounts are in</legend>
      {(['rupees', 'paisa'] as const satisfies readonly Unit[]).map((unit) => (
        <label key={unit} class="check">
          <input
            type="radio"
            name="unit"
            checked={chosen.unit === unit}
            onChange={() => onChosen({ ...chosen, unit })}
          />
          <span>{unit === 'rupees' ? 'Rupees' : 'Paisa'}</span>
        </label>
      ))}
    </fieldset>
  </>
);

export function StatementPreview({ file, chosen }: Pick<ColumnFieldsProps, 'file' | 'chosen'>) {
  const rows = previewOf(file, chosen);
  if (rows.length === 0) return <p class="soft">The file has a header line and no rows.</p>;
  return (
    <div class="preview" role="region" aria-label="First rows" tabIndex={0}>
      <table>
        <caption>The first rows, as they will be read</caption>
        <thead>
          <tr>
            {['Reference', 'Amount', 'Date', 'Fee'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              <td>
                {row.reference === '' ? <span class="wrong">empty</span> : <UserText text={row.reference} />}
              </td>
              <td>{row.amount === null ? <NotRead text={row.amountText} /> : signedText(row.amount)}</td>
              <td>{row.date === null ? <NotRead text={row.dateText} isQuiet /> : <Day at={row.date} />}</td>
              <td>
                <UserText text={row.fee} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Day({ at }: { readonly at: number }) {
  const { now } = useScreenContext();
  return (
    <>
      {dayText(at, now)}, {clockText(at)}
    </>
  );
}

/** `isQuiet`: an empty cell is no fault. */
const NotRead = ({ text, isQuiet = false }: { readonly text: string; readonly isQuiet?: boolean }) =>
  text === '' && isQuiet ? null : (
    <span class="wrong">
      {text === '' ? (
        'empty'
      ) : (
        <>
          <UserText text={text} /> cannot be read
        </>
      )}
    </span>
  );
