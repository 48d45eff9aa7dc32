import { AddProfile } from './AddProfile.tsx'

export const AddEst = () => <AddProfile protocol="est" />
