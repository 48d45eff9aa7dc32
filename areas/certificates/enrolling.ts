// What the room of enrolment, which makes requests by rule, may ask.

export { holdingsOf, openRequestsOf, requestFor, stagesOf, type Holding } from './server/enrolling.ts'
