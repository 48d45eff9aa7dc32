// Requests of people who have no account here, for the room that lets them in.

export { askAsStranger, strangersViewOf, waitingOfStrangers } from './server/requests/strangers.ts'
