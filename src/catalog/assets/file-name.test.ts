import { describe, expect, it } from 'vitest';
import { cleanFileName } from './file-name.ts';

describe('cleanFileName', () => {
  it.each([
    ['picture.png', 'picture.png'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\a b.png', 'a b.png'],
    ['bu\u0308ro.png', 'b\u00FCro.png'],
    ['a\u0000b\r\nc.png', 'abc.png'],
    ['photo\u202Egnp.exe', 'photognp.exe'],
    ['<img src=x>.png', 'img src=x.png'],
    ['  .hidden. ', 'hidden'],
    ['..', 'file'],
    ['', 'file'],
    ['/', 'file'],
    ['\u{1F600}'.repeat(300), '\u{1F600}'.repeat(200)],
  ])('%j becomes %j', (name, clean) => {
    expect(cleanFileName(name)).toBe(clean);
  });
});
