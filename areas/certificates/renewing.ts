// What the room of renewal, which decides when a certificate is renewed and tells why it was not, may ask.

export { findRenewable, predecessorOf, type KeyOrigin } from './server/requests/renewable.ts'
export { endingOf, findRenewables, renewableBy, supersededBy, type Renewable } from './server/inventory/renewable-store.ts'
export {
  checkRenewal,
  decidesOn,
  renewalRequestOf,
  requestRenewal,
  type RenewalKey,
  type RenewalOutcome,
  type RenewalRequest,
} from './server/requests/renewing.ts'
export { areOfOneKey } from './server/inventory/siblings.ts'
export { stagesOf } from './server/requests/request-store.ts'
