// Each screen of the upper rooms, in each look. The lower ones are a file of their own, for a second worker.

import { lookAtEach } from './support/each-screen.ts'
import { upperRooms } from './support/screens.ts'

lookAtEach(upperRooms)
