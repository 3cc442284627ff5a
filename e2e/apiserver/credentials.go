package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// writeCredentials makes a CA, the server's and a client's certificate, the key of service accounts, tokens, and a kubeconfig whose contexts
// are admin (token), admin-certificate, and limited (a user without any right).
func writeCredentials(p *serverFolder) error {
	admin, limited := rand.Text(), rand.Text()
	tokens := fmt.Sprintf("%s,admin,admin,system:masters\n%s,limited,limited\n", admin, limited)
	if err := os.WriteFile(p.file("tokens.csv"), []byte(tokens), 0o600); err != nil {
		return err
	}
	ca := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "watchgate test CA"},
		KeyUsage:              x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	caKey, err := issue(p, "ca", ca, nil, nil)
	if err != nil {
		return err
	}
	server := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:    []string{"localhost", "kubernetes.default.svc"},
	}
	if _, err := issue(p, "server", server, ca, caKey); err != nil {
		return err
	}
	client := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "admin-certificate", Organization: []string{"system:masters"}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if _, err := issue(p, "client", client, ca, caKey); err != nil {
		return err
	}
	accounts := &x509.Certificate{Subject: pkix.Name{CommonName: "service accounts"}}
	if _, err := issue(p, "service-accounts", accounts, ca, caKey); err != nil {
		return err
	}
	config := api.NewConfig()
	config.Clusters["test"] = &api.Cluster{Server: p.server(), CertificateAuthority: p.file("ca.crt")}
	config.AuthInfos["admin"] = &api.AuthInfo{Token: admin}
	config.AuthInfos["limited"] = &api.AuthInfo{Token: limited}
	config.AuthInfos["admin-certificate"] =
		&api.AuthInfo{ClientCertificate: p.file("client.crt"), ClientKey: p.file("client.key")}
	for user := range config.AuthInfos {
		config.Contexts[user] = &api.Context{Cluster: "test", AuthInfo: user, Namespace: "default"}
	}
	config.CurrentContext = "admin"
	return clientcmd.WriteToFile(*config, p.file("kubeconfig"))
}

// issue writes name.key and name.crt; without an issuer the certificate signs itself.
func issue(p *serverFolder, name string, cert, issuer *x509.Certificate, issuerKey *ecdsa.PrivateKey) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if issuer == nil {
		issuer, issuerKey = cert, key
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, err
	}
	cert.SerialNumber = serial
	cert.NotBefore = time.Now().Add(-time.Hour)
	cert.NotAfter = time.Now().AddDate(1, 0, 0)
	cert.KeyUsage |= x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, cert, issuer, &key.PublicKey, issuerKey)
	if err != nil {
		return nil, err
	}
	keyDer, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	if err := writePem(p.file(name+".crt"), "CERTIFICATE", der); err != nil {
		return nil, err
	}
	return key, writePem(p.file(name+".key"), "EC PRIVATE KEY", keyDer)
}

func writePem(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
