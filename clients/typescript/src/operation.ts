/** How an operation is sent. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the names of its parameters in braces. */
  readonly path: string;
  /** The parameters in the query. */
  readonly query?: readonly string[];
  /** The headers, by the name of the parameter. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the other fields of the input are sent as; of a file, the field `file` alone. */
  readonly body?: 'json' | 'form' | 'file';
  /** The reply is a text, not JSON. */
  readonly replies?: 'text';
  /** A list: the field of a page that names the next one, and the parameter that takes it. */
  readonly page?: { readonly next: string; readonly parameter: string };
  /** Takes an Idempotency-Key. */
  readonly takesKey?: true;
  /** Creates another each time it is received, so that only what was refused is sent again. */
  readonly onlyOnce?: true;
  /** Needs no key. */
  readonly isPublic?: true;
}

/** How one request is sent. */
export interface RequestOptions {
  /** Ends the request, its retries and its waits. What was sent may have been accepted. */
  readonly signal?: AbortSignal;
}

/** How one request that creates or changes something is sent. */
export interface WriteOptions extends RequestOptions {
  /**
   * 1 to 255 printable ASCII characters without spaces. With the same key the same request is executed once, however
   * often it is sent within 24 hours. Take it from what you do, such as `sale-1234`, so that a program that has crashed
   * sends the same one. Default: a random one, which covers the retries of this call only.
   */
  readonly idempotencyKey?: string;
}

/**
 * A page of a list, and with it the rest: `await` it for the first page, go through it with `for await` for every item,
 * through `pages()` for every page. What is not asked for is not requested.
 */
export type List<Page extends { readonly items: readonly unknown[] }> = Promise<Page> &
  AsyncIterable<Page['items'][number]> & {
    /** Every page, from the first. */
    pages(): AsyncIterable<Page>;
  };
