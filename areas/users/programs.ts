// Accounts of programs, for the room that makes them. They have no username, no password and no roles: the scopes are all that they may do, and they stay
// whatever becomes of the person who gave them.

export { deleteProgram, findProgram, insertProgram, isKeyGood, replaceProgramKeys } from './server/program-store.ts'
