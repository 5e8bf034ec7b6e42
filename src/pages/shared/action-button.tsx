import { useConfirm, type Confirmation } from './use-confirm.tsx';

/** A button that does something after a question. */
export function ActionButton({ isDisabled = false, ...what }: Confirmation & { readonly isDisabled?: boolean }) {
  const { ask, dialog } = useConfirm();
  return (
    <>
      <button type="button" disabled={isDisabled} onClick={() => ask(what)}>
        {what.text}
      </button>
      {dialog}
    </>
  );
}
