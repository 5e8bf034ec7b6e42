import { CannotTell } from '../shared/visitors/cannot-tell.ts';
import { utf8 } from '../shared/visitors/fetch-bytes.ts';

const WORD = 64;
const unexpected = () => new CannotTell(({ reasons }) => reasons.unexpected);

/** A number as the 32 bytes of an argument, in hex digits. */
export function word(value: string): string {
  return BigInt(value).toString(16).padStart(WORD, '0');
}

/** A 32-byte value. @throws {CannotTell} when the data is something else. */
export function decodeWord(data: string): string {
  if (data.length !== WORD) throw unexpected();
  return data;
}

/** @returns the address in lower case, or undefined if the data is no address. */
export function decodeAddress(data: string): string | undefined {
  const [, address] = /^0{24}([0-9a-f]{40})$/.exec(data) ?? [];
  return address === undefined ? undefined : `0x${address}`;
}

/** A string: 32 bytes of offset, 32 of length, UTF-8. @throws {CannotTell} when the data is something else. */
export function decodeString(data: string): string {
  const numberAt = (at: number) => Number(BigInt(`0x${data.slice(at, at + WORD).padEnd(WORD, '0')}`));
  const start = numberAt(0) * 2;
  const end = start + WORD + numberAt(start) * 2;
  const isComplete = data.length >= 2 * WORD && start + WORD <= data.length && end <= data.length;
  if (!isComplete) throw unexpected();
  try {
    return utf8(bytesOf(data.slice(start + WORD, end)));
  } catch {
    throw unexpected();
  }
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16),
  );
}
