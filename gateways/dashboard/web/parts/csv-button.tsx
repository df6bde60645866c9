/** Saves all rows of a filtered list as a file. */
import { useScreenContext } from '../context.ts';
import type { CsvList } from '../wire/api.ts';
import { Glyph } from './marks.tsx';
import { FormFailure } from './notices.tsx';
import { useSubmit } from './use-submit.ts';

export interface CsvButtonProps {
  readonly list: CsvList;
  /** As the list is asked for; its page does not count. */
  readonly query: URLSearchParams;
}

export function CsvButton({ list, query }: CsvButtonProps) {
  const { api, place, announce } = useScreenContext();
  const { isBusy, failure, submit } = useSubmit();
  const all = new URLSearchParams(query);
  all.delete('page');
  all.delete('limit');
  const save = (): void =>
    submit(
      () => api.csv(place, list, all),
      (file) => {
        const url = URL.createObjectURL(file);
        const link = document.createElement('a');
        link.href = url;
        link.download = `${list.replace('billing/', '')}-${place.mode}.csv`;
        link.click();
        // after the browser has taken it
        window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
        announce('The file is saved.');
      },
    );
  return (
    <>
      <button type="button" class="step csv" aria-busy={isBusy} onClick={save}>
        <Glyph name="save" />
        CSV
      </button>
      {failure !== null && <FormFailure failure={failure} />}
    </>
  );
}
