import { describe, expect, it } from 'vitest';
import { mediaTypeOf } from './media-type.ts';

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const ftyp = (major: string, ...compatible: string[]) =>
  `\0\0\0${String.fromCharCode(16 + 4 * compatible.length)}ftyp${major}\0\0\0\0${compatible.join('')}\0\0\0\bmdat`;

describe('mediaTypeOf', () => {
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
    ['image/jpeg', '\xff\xd8\xff\xe1\0\x18Exif'],
    ['image/gif', 'GIF87a\x01\0'],
    ['image/gif', 'GIF89a\x01\0'],
    ['image/webp', 'RIFF\x24\0\0\0WEBPVP8 '],
    ['audio/wav', 'RIFF\x24\0\0\0WAVEfmt '],
    ['image/avif', ftyp('avif', 'mif1', 'miaf')],
    ['image/avif', ftyp('mif1', 'miaf', 'avif')],
    ['video/mp4', ftyp('isom', 'iso2', 'avc1', 'mp41')],
    ['video/mp4', ftyp('mp42')],
    ['video/webm', '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm'],
    ['audio/mpeg', 'ID3\x04\0\0\0\0'],
    ['audio/mpeg', '\xff\xfb\x90\x64'],
    ['audio/mpeg', '\xff\xf3\x40\xc0'],
    ['model/gltf-binary', 'glTF\x02\0\0\0\x10\0\0\0'],
  ])('%s', (mediaType, text) => {
    expect(mediaTypeOf(bytes(text))).toBe(mediaType);
  });

  it.each([
    ['an empty file', ''],
    ['text', 'hello'],
    ['HTML', '<!doctype html>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg">'],
    ['glTF in its JSON form', '{"asset":{"version":"2.0"}}'],
    ['the first version of glTF', 'glTF\x01\0\0\0'],
    ['PDF', '%PDF-1.7'],
    ['ZIP', 'PK\x03\x04'],
    ['Matroska', '\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\x82\x88matroska'],
    ['QuickTime', ftyp('qt  ')],
    ['HEIC', ftyp('heic', 'mif1')],
    ['a HEIF collection without AVIF', ftyp('mif1', 'heic')],
    ['a brand outside of its box', ftyp('mif1') + 'avif'],
    ['another kind of RIFF', 'RIFF\x24\0\0\0AVI LIST'],
    ['AAC', '\xff\xf1\x50\x80'],
    ['an MPEG frame with a reserved bit rate', '\xff\xfb\xf0\x64'],
    ['the first bytes of a PNG', '\x89PNG'],
  ])('does not recognise %s', (_, text) => {
    expect(mediaTypeOf(bytes(text))).toBeUndefined();
  });
});
