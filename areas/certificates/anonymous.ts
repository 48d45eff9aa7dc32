// Requests of people who have no account here, for the room that lets them in.

export { askAnonymously, anonymousViewOf, faultsOfAnonymous, waitingAnonymous } from './server/requests/anonymous.ts'
