// What other rooms may ask: a look at what answers a challenge.

export { lookAt, type Look, type LookSettings } from './server/looks.ts'
