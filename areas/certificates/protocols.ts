// What rooms that speak an enrolment protocol may ask: a request by the common path, where it stands, and which keys are never certified.

export { protocolRequestState, requestByProtocol, type ProtocolOutcome, type ProtocolRequest } from './server/requests/by-protocol.ts'
export { keyRefusal } from './server/inventory/refused-keys.ts'
export { personalViewer, protocolTemplates, protocolViewer } from './server/requests/protocol-owner.ts'
