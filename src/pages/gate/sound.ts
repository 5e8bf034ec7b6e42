import type { Verdict } from './redeem.ts';

/** Tones in Hz, one after the other: rising lets in, low stops, the same twice asks to show the ticket again. */
const TONES: Readonly<Record<Verdict['kind'], readonly number[]>> = {
  open: [660, 990],
  stop: [180, 180, 180],
  undecided: [440, 440],
};
const TONE_SECONDS = 0.14;

let context: AudioContext | undefined;

/** Says a verdict to those who look at the visitor. Browsers allow sound once the page has been used. */
export function playSound(kind: Verdict['kind']): void {
  context ??= new AudioContext();
  for (const [place, frequency] of TONES[kind].entries()) {
    const start = context.currentTime + place * TONE_SECONDS;
    const tone = new OscillatorNode(context, { frequency });
    tone.connect(context.destination);
    tone.start(start);
    tone.stop(start + TONE_SECONDS * 0.8);
  }
}
