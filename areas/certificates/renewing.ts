// What the room of renewal, which decides when a certificate is renewed and tells why it was not, may ask.

export { renewableBy, findRenewable, findRenewables, predecessorOf, supersededBy, type Renewable } from './server/renewable.ts'
export { checkRenewal, renewalStanding, requestRenewal, type Renewal, type RenewalKey, type RenewalOutcome, type Standing } from './server/renewing.ts'
