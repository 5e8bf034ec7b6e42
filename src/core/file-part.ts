/** A file in a multipart form, as a stream. */
export interface FilePart {
  /** The client's file name. Untrusted. */
  readonly fileName: string;
  /**
   * The file's bytes; can be iterated once. A reader that stops early must call `return`, as `for await` does: the rest
   * of the form is then read and discarded. Throws what `filePart` throws.
   */
  readonly content: AsyncIterable<Uint8Array>;
}
