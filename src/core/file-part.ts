/** A file of a form, while it arrives. */
export interface FilePart {
  /** As the caller names it: not to be trusted. */
  readonly fileName: string;
  /**
   * The file's bytes, once. Who stops reading them must say so (`return`, as `for await` does): then the rest of the form
   * is taken and thrown away. Throws what `filePart` throws.
   */
  readonly content: AsyncIterable<Uint8Array>;
}
