import { BarcodeDetector } from 'qr/decode.js';
import { useEffect, useRef, useState } from 'preact/hooks';

const PAUSE_MS = 150;
/** A code that stays before the camera is one scan. It is another one after so long out of sight. */
const OUT_OF_SIGHT_MS = 2_000;

/** Takes a code. @returns whether it is taken; otherwise it is offered again as long as the camera sees it. */
type TakeCode = (code: string) => boolean;

/** Shows what the camera sees, and reads QR codes from it. */
export function Camera({ take }: { readonly take: TakeCode }) {
  const video = useRef<HTMLVideoElement>(null);
  const latest = useRef(take);
  latest.current = take;
  const [error, setError] = useState('');
  useEffect(() => {
    const ended = new AbortController();
    if (video.current !== null) {
      readCodes(video.current, ended.signal, (code) => latest.current(code)).catch((failure: unknown) =>
        setError(wordsFor(failure)),
      );
    }
    return () => ended.abort();
  }, []);
  return (
    <>
      <video ref={video} muted playsInline aria-label="What the camera sees" hidden={error !== ''} />
      <p role="alert" class="bad">
        {error}
      </p>
    </>
  );
}

/** Reads codes from the camera until the signal is aborted. */
async function readCodes(video: HTMLVideoElement, signal: AbortSignal, take: TakeCode): Promise<void> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  try {
    video.srcObject = stream;
    await video.play();
    const detector = new BarcodeDetector();
    let last = { code: '', at: 0 };
    while (!signal.aborted) {
      const [found] = await detector.detect(video);
      if (found !== undefined) {
        const code = found.rawValue;
        const at = performance.now();
        const isSameScan = code === last.code && at - last.at < OUT_OF_SIGHT_MS;
        if (isSameScan || take(code)) last = { code, at };
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

function wordsFor(failure: unknown): string {
  const name = failure instanceof Error ? failure.name : '';
  if (name === 'NotAllowedError') return 'The browser does not allow this page to use the camera.';
  if (name === 'NotFoundError') return 'This device has no camera.';
  return `The camera does not work: ${String(failure)}`;
}
