// What the room of enrolment, which makes requests by rule, may ask.

export { holdingsOf } from './server/certificate-store.ts'
export { requestFor } from './server/enrolling.ts'
export { stagesOf, waitingForTemplate } from './server/request-store.ts'
