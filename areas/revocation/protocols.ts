// What rooms that speak an enrolment protocol may ask: the revocation of a certificate that is the asker's, its hold, the end of that, and the list of an
// authority.

export { holdByProtocol, releaseByProtocol, revokeByProtocol, type ProtocolReleased, type ProtocolRevoked } from './server/by-protocol.ts'
export { wholeListOf } from './server/whole-list.ts'
