// Generates the Go stubs of a .proto file with nothing but Go: what protoc does, done with protocompile and the plugins of go.mod.
//
//	go run ./stubs IMPORT_FOLDER FILE OUT_FOLDER
//
// Run it in e2e/tools, whose go.mod names the plugins, or from another folder with go run -C PATH_OF_E2E_TOOLS ./stubs. Relative folders are
// relative to e2e/tools.
//
//	go run ./stubs ../../proto/src/main/protobuf watchgate/v1/watch.proto ../../examples/go/watchgatev1
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: go run ./stubs IMPORT_FOLDER FILE OUT_FOLDER")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "stubs:", err)
		os.Exit(1)
	}
}

func generate(imports, file, out string) error {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{imports}}),
		SourceInfoMode: protocompile.SourceInfoStandard, // comments
	}
	compiled, err := compiler.Compile(context.Background(), file)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{file},
		Parameter:      proto.String("paths=source_relative"),
		ProtoFile:      withImports(nil, compiled[0]),
	}
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		response, err := run(plugin, request)
		if err != nil {
			return err
		}
		for _, made := range response.File {
			// All in one folder: it is one package.
			path := filepath.Join(out, filepath.Base(made.GetName()))
			if err := os.WriteFile(path, []byte(made.GetContent()), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// withImports appends a file to those before it, after what it imports, each once.
func withImports(before []*descriptorpb.FileDescriptorProto, file protoreflect.FileDescriptor) []*descriptorpb.FileDescriptorProto {
	for _, known := range before {
		if known.GetName() == file.Path() {
			return before
		}
	}
	for i := range file.Imports().Len() {
		before = withImports(before, file.Imports().Get(i).FileDescriptor)
	}
	return append(before, protoutil.ProtoFromFileDescriptor(file))
}

func run(plugin string, request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	input, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	command := exec.Command("go", "tool", plugin)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plugin, err)
	}
	response := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(output, response); err != nil {
		return nil, fmt.Errorf("%s: %w", plugin, err)
	}
	if response.Error != nil {
		return nil, fmt.Errorf("%s: %s", plugin, response.GetError())
	}
	return response, nil
}
