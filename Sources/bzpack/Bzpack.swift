@main struct Bzpack { static func main() {} }
