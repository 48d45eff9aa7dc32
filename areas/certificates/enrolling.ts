// What the room of enrolment, which makes requests by rule, may ask.

export { holdingsOf } from './server/inventory/certificate-store.ts'
export { requestFor } from './server/requests/enrolling.ts'
export { stagesOf, waitingForTemplate } from './server/requests/request-store.ts'
