// What rooms that speak an enrolment protocol may ask: the revocation of a certificate that is the asker's.

export { revokeByProtocol, type ProtocolRevoked } from './server/by-protocol.ts'
