import { encodeQR } from 'qr';
import { useRef } from 'preact/hooks';
import { useTexts } from '../shared/visitors/language.tsx';

/** A button that shows the QR code of a URL. */
export function QrDialog({ url }: { readonly url: string }) {
  const texts = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        {texts.qrCode}
      </button>
      <dialog ref={dialog} aria-label={texts.qrCodeOfCheck}>
        <QrCode text={url} />
        <p>{url}</p>
        <button type="button" onClick={() => dialog.current?.close()}>
          {texts.close}
        </button>
      </dialog>
    </>
  );
}

/** The light margin that readers need, in modules. */
const MARGIN = 4;

function QrCode({ text }: { readonly text: string }) {
  const { qrCodeOf } = useTexts();
  const rows = encodeQR(text, 'raw', { border: MARGIN });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={qrCodeOf(text)}
      shape-rendering="crispEdges"
    >
      <path d={path} fill="currentColor" />
    </svg>
  );
}
