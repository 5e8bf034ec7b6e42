import { DomainError } from '../core/domain-error.ts';

/** Some orders of a batch are refused; no order of the batch is stored. It reads as the first refusal. */
export class OrdersRefused extends DomainError {
  /** Why each is refused, by order id; never empty. */
  readonly refusals: ReadonlyMap<string, DomainError>;

  constructor(refusals: ReadonlyMap<string, DomainError>) {
    const [first] = refusals.values();
    if (first === undefined) throw new Error('The refusal names no order');
    const { code, message, issues, retryAfterSeconds } = first;
    super(code, message, issues, { retryAfterSeconds });
    this.refusals = refusals;
  }
}
