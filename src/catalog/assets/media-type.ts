/** Media types that a token can show, with their file extensions. */
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

/** How many bytes of a file {@link mediaTypeOf} needs. */
export const HEAD_BYTES = 256;

export function extensionOf(mediaType: MediaType): string {
  return EXTENSIONS[mediaType];
}

/**
 * Detects a file's media type from its first bytes; the client's Content-Type is ignored. Only types that a browser
 * displays without executing content are supported. SVG is not, because its scripts would run on the origin that serves
 * all assets; nor is glTF as JSON, which refers to other files. PNG and GLB can be used instead.
 * @param head The first {@link HEAD_BYTES} bytes of the file, or all of a shorter one.
 * @returns undefined for any other type.
 */
export function mediaTypeOf(head: Uint8Array): MediaType | undefined {
  const text = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to));
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (text(0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'image/gif';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WAVE') return 'audio/wav';
  if (text(4, 8) === 'ftyp') return isoMediaType(head, text);
  // EBML, also used by Matroska; the DocType tells them apart.
  if (text(0, 4) === '\x1a\x45\xdf\xa3' && text(4, 64).includes('webm')) return 'video/webm';
  if (text(0, 8) === 'glTF\x02\0\0\0') return 'model/gltf-binary';
  if (text(0, 3) === 'ID3' || isMp3Frame(head)) return 'audio/mpeg';
  return undefined;
}

const isAvif = (brand: string) => brand === 'avif' || brand === 'avis';

/** ISO base media file: the major brand, a version, then the compatible brands. */
function isoMediaType(head: Uint8Array, text: (from: number, to: number) => string): MediaType | undefined {
  const boxBytes = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0);
  const major = text(8, 12);
  const compatible = text(16, Math.min(boxBytes, head.length)).match(/.{4}/gs) ?? [];
  if (isAvif(major) || (/^(mif1|msf1|miaf)$/.test(major) && compatible.some(isAvif))) return 'image/avif';
  return /^(isom|iso[2-9]|mp4[12]|avc1|M4V |M4VP|MSNV|dash|f4v )$/.test(major) ? 'video/mp4' : undefined;
}

/** An MPEG audio frame header, Layer III: eleven sync bits, and no field with a reserved value. */
function isMp3Frame([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  const version = (second >> 3) & 3;
  const layer = (second >> 1) & 3;
  const bitRate = third >> 4;
  const sampleRate = (third >> 2) & 3;
  return (
    first === 0xff && second >> 5 === 7 && version !== 1 && layer === 1 && bitRate > 0 && bitRate < 15 && sampleRate < 3
  );
}
