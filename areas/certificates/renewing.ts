// What the room of renewal, which decides when a certificate is renewed and tells why it was not, may ask.

export { findRenewable, predecessorOf, type KeyOrigin } from './server/renewable.ts'
export { endingOf, findRenewables, renewableBy, supersededBy, type Renewable } from './server/renewable-store.ts'
export {
  checkRenewal,
  decidesOn,
  renewalRequestOf,
  requestRenewal,
  type RenewalKey,
  type RenewalOutcome,
  type RenewalRequest,
} from './server/renewing.ts'
export { areOfOneKey } from './server/siblings.ts'
export { stagesOf } from './server/request-store.ts'
