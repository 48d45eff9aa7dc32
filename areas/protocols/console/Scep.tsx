import { ProtocolPage } from './ProtocolPage.tsx'

export const ScepPage = () => <ProtocolPage protocol="scep" />
