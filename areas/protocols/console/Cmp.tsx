import { ProtocolPage } from './ProtocolPage.tsx'

export const CmpPage = () => <ProtocolPage protocol="cmp" />
