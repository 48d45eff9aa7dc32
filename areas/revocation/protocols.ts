// What rooms that speak an enrolment protocol may ask: the revocation of a certificate that is the asker's, and the list of an authority.

export { revokeByProtocol, type ProtocolRevoked } from './server/by-protocol.ts'
export { wholeListOf } from './server/whole-list.ts'
