// What rooms above may do at the listener that asks for certificates: machines show theirs there to renew them.

export { certificateDoor, type CertificateDoor, type ShownRequest } from './certificate-door.ts'
export { certificateOfProxy } from './server/listener.ts'
