/** What a token can show, by media type, with the ending that its files get. */
const EXTENSIONS = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'model/gltf-binary': 'glb',
} as const;

export type MediaType = keyof typeof EXTENSIONS;

export const MEDIA_TYPES: readonly string[] = Object.keys(EXTENSIONS);

/** How many of a file's first bytes {@link mediaTypeOf} wants to see. */
export const HEAD_BYTES = 256;

export function extensionOf(mediaType: MediaType): string {
  return EXTENSIONS[mediaType];
}

/**
 * The media type of a file by its first bytes; what its sender calls it does not count. Only types that a browser shows
 * without running what is in them: SVG carries scripts, which would run under the address of everybody's assets, and is
 * left out, as is glTF in its JSON form, which names further files. PNG and GLB do the same.
 * @param head The first {@link HEAD_BYTES} of the file, or all of a shorter one.
 * @returns undefined for whatever else it is.
 */
export function mediaTypeOf(head: Uint8Array): MediaType | undefined {
  const text = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to));
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (text(0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'image/gif';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WAVE') return 'audio/wav';
  if (text(4, 8) === 'ftyp') return isoMediaType(head, text);
  // EBML; of its kinds (Matroska is another) the one that says so.
  if (text(0, 4) === '\x1a\x45\xdf\xa3' && text(4, 64).includes('webm')) return 'video/webm';
  if (text(0, 8) === 'glTF\x02\0\0\0') return 'model/gltf-binary';
  if (text(0, 3) === 'ID3' || isMp3Frame(head)) return 'audio/mpeg';
  return undefined;
}

const isAvif = (brand: string) => brand === 'avif' || brand === 'avis';

/** Of the ISO base media files: the major brand, then a version, then the brands that it is compatible with. */
function isoMediaType(head: Uint8Array, text: (from: number, to: number) => string): MediaType | undefined {
  const boxBytes = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0);
  const major = text(8, 12);
  const compatible = text(16, Math.min(boxBytes, head.length)).match(/.{4}/gs) ?? [];
  if (isAvif(major) || (/^(mif1|msf1|miaf)$/.test(major) && compatible.some(isAvif))) return 'image/avif';
  return /^(isom|iso[2-9]|mp4[12]|avc1|M4V |M4VP|MSNV|dash|f4v )$/.test(major) ? 'video/mp4' : undefined;
}

/** The header of an MPEG audio frame, Layer III: eleven bits set, and no field of it reserved. */
function isMp3Frame([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  const version = (second >> 3) & 3;
  const layer = (second >> 1) & 3;
  const bitRate = third >> 4;
  const sampleRate = (third >> 2) & 3;
  return (
    first === 0xff && second >> 5 === 7 && version !== 1 && layer === 1 && bitRate > 0 && bitRate < 15 && sampleRate < 3
  );
}
