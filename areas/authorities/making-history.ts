// For the past of the demonstration only: certificates of one authority by the hundred, each at its own time, a commit for each step. What is issued today
// takes one of the two ways of service.ts.

export { reserveAll, signAllReserved, storeAllSigned } from './server/issuing.ts'
