import { encodeQR } from 'qr';
import { useRef } from 'preact/hooks';

/** A button that shows the QR code of a URL. */
export function QrDialog({ url }: { readonly url: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        QR code
      </button>
      <dialog ref={dialog} aria-label="QR code of this check">
        <QrCode text={url} />
        <p>{url}</p>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </dialog>
    </>
  );
}

/** The light margin that readers need, in modules. */
const MARGIN = 4;

function QrCode({ text }: { readonly text: string }) {
  const rows = encodeQR(text, 'raw', { border: MARGIN });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={`QR code of ${text}`}
      shape-rendering="crispEdges"
    >
      <path d={path} fill="currentColor" />
    </svg>
  );
}
