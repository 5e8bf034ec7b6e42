import type { WireRequest } from './network.ts';

export interface Query {
  readonly query: string;
  readonly params: readonly (string | number | boolean | null)[];
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

export interface QueryResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly fields: readonly Field[];
  /** Every value in PostgreSQL's text format. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/** What a transaction came to. */
export interface Ran {
  readonly results: readonly QueryResult[];
  /** The messages that its triggers have raised, in order. */
  readonly reports: readonly string[];
}

/** The fields of a server's error, as node-postgres names them. */
export type ErrorFields = Readonly<Record<string, string>>;

/** A server's error reply to a statement. */
export class ServerError extends Error {
  readonly fields: ErrorFields;

  constructor(fields: ErrorFields) {
    super(fields['message']);
    this.fields = fields;
  }
}

/** The isolation level that a request of the product asks for. */
export function isolationOf({ headers }: Pick<WireRequest, 'headers'>): string | undefined {
  return headers['neon-batch-isolation-level']?.replace(/(?<=[a-z])(?=[A-Z])/, ' ');
}

/** PostgreSQL as {@link Database} uses it. */
export interface Server {
  /** How long it works on a request of the product, in virtual milliseconds; undefined: other requests wait. */
  readonly lastsMs: number | undefined;
  /** Runs a statement that may have no parameters and no result, for the setup. */
  execute(statement: string): Promise<void>;
  /**
   * Runs statements as one transaction, for the simulation itself, before anything else happens.
   * @param isAlone Whether after all requests of the product.
   * @throws {ServerError}
   */
  run(queries: readonly Query[], isAlone?: boolean): Ran;
  /** The same for the product, perhaps beside others. @param done Called once, as soon as it has ended. */
  serve(queries: readonly Query[], isolation: string | undefined, done: (outcome: Ran | ServerError) => void): void;
  stop(): Promise<void>;
}
