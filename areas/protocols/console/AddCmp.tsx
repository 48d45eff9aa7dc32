import { AddProfile } from './AddProfile.tsx'

export const AddCmp = () => <AddProfile protocol="cmp" />
